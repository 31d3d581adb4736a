/** Rows of all tables of a Markdown page, each by the titles of its columns. */
export function tableRows(page: string): Record<string, string>[] {
  return page.split(/\n\n+/).flatMap((paragraph) => {
    const lines = paragraph.split("\n").filter((line) => line.startsWith("|"));
    const [titles, , ...rows] = lines.map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
    return rows.map((cells) => Object.fromEntries(titles.map((title, i) => [title, cells[i]])));
  });
}

/** The code blocks of a language on a Markdown page. */
export function codeBlocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    (match) => match[1],
  );
}
