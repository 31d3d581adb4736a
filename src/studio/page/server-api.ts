/** Asks the server behind the page. What it refuses comes as an error with its one line. */
export async function ask<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const answer = await fetch(addressOfRoute(path, query));
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? `the server answers ${answer.status}`);
  return found as T;
}

/** The address of a route: `api/folder`, relative to the page. */
export const addressOfRoute = (path: string, query: Readonly<Record<string, string>> = {}): string => {
  const words = new URLSearchParams(query).toString();
  return `api/${path}${words ? `?${words}` : ""}`;
};
