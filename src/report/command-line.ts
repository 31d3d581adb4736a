/** A command line of this program as a shell takes it. */
export function commandLine(words: readonly string[]): string {
  return shellWords(["pde-dirichlet", ...words]);
}

/** Words as a shell takes them. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/** A word, in quotes if a shell would take it for something else. */
function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
