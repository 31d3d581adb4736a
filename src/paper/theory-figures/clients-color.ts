/** Colours of numbers of clients, from few to many: ever darker greens, which neither tasks nor concentrations have. */
const COLORS: Readonly<Record<number, string>> = {
  2: "#7fbf7b",
  5: "#4aa564",
  10: "#1f8a5c",
  20: "#0f6e59",
  50: "#11514f",
  100: "#12343b",
};

export function clientsColor(clients: number): string {
  return COLORS[clients] ?? "#5c5c5c";
}
