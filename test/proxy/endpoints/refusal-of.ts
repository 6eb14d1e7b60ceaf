/** The code and the parameter that a body is refused with, or undefined where it is taken. */
export function refusalOf(parse: () => unknown): string[] | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    const { code, param } = error as { code: string; param: string };
    return [code, param];
  }
}
