/** Letters of the longest message: what a terminal shows without scrolling. */
const LONGEST = 500;
/** Letters kept of the end of a message that is cut, where the way out stands. */
const TAIL = 120;

/** Control characters, line separators, and marks that turn the direction of writing. */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A message as one line that a terminal shows as it is. Names in it come from files of others: their control
 * characters, which could move the cursor or change colours, are shown escaped (`\x1b`), and what is too long is cut
 * in the middle.
 */
export function oneLine(text: string): string {
  const line = visible(text.trim().replace(/\s*\n\s*/g, "; "));
  if (line.length <= LONGEST) return line;
  const gap = ` ... (${line.length - LONGEST} more letters) ... `;
  return line.slice(0, LONGEST - TAIL - gap.length) + gap + line.slice(-TAIL);
}

/** Text with its control characters escaped, but for the ends of lines. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n");
}

/** Text with its control characters escaped. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (letter) => {
    const code = letter.charCodeAt(0);
    if (letter === "\n") return "\\n";
    if (letter === "\t") return "\\t";
    return code < 256
      ? `\\x${code.toString(16).padStart(2, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
