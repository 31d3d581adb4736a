/** Whether two pages have the same numbers in the same order, whatever their words. */
export function sameNumbers(one, other) {
  const numbers = (text) => text.match(/[-−]?\d+(?:\.\d+)?/g)?.join(" ") ?? "";
  return numbers(one) === numbers(other);
}
