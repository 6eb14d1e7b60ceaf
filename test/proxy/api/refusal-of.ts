/** The code and parameter with which a body is refused, or undefined if it is accepted. */
export function refusalOf(parse: () => unknown): string[] | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    const { code, param } = error as { code: string; param: string };
    return [code, param];
  }
}
