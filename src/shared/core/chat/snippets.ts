/** The placeholders of a snippet, such as "{customer}", each once. */
export function snippetFields(content: string): readonly string[] {
  return [...new Set(Array.from(content.matchAll(/\{([^{}\n]{1,40})\}/g), ([, name = '']) => name))]
}

/** Fills in the placeholders; those without a value stay. */
export function filledSnippet(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(/\{([^{}\n]{1,40})\}/g, (whole, name: string) => values.get(name) || whole)
}
