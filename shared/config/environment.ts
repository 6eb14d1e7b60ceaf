/**
 * Reads settings from the environment and collects all mistakes, so that a program reports everything that is wrong
 * with its configuration at once instead of one mistake per start.
 *
 * A secret may be given as `NAME` or as `NAME_FILE`, the path of a file that holds it (Docker and Kubernetes secrets).
 */
import { readFileSync } from 'node:fs';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Thrown if at least one variable is missing or malformed; `problems` has one sentence per variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

export class EnvironmentReader {
  readonly #variables: EnvironmentVariables;
  readonly #problems: string[] = [];

  constructor(variables: EnvironmentVariables) {
    this.#variables = variables;
  }

  /** Call after the last read. */
  assertValid(): void {
    if (this.#problems.length > 0) throw new ConfigurationError(this.#problems);
  }

  /** `problem` is a sentence that begins with the variable's name and says nothing secret. */
  check(holds: boolean, problem: string): void {
    if (!holds) this.#problems.push(problem);
  }

  optionalText(name: string): string | undefined {
    const value = this.#variables[name]?.trim();
    return value === '' ? undefined : value;
  }

  text(name: string, fallback: string): string {
    return this.optionalText(name) ?? fallback;
  }

  requiredText(name: string, meaning: string): string {
    const value = this.optionalText(name);
    if (value === undefined) this.#problems.push(`${name} is missing: ${meaning}`);
    return value ?? '';
  }

  /** A secret of at least `minLength` characters, from `NAME` or the file that `NAME_FILE` names. */
  secret(name: string, options: { minLength: number; meaning: string }): string {
    const value = this.#fromFile(`${name}_FILE`) ?? this.optionalText(name);
    if (value === undefined) {
      this.#problems.push(`${name} (or ${name}_FILE) is missing: ${options.meaning}`);
      return '';
    }
    if (value.length < options.minLength) {
      this.#problems.push(`${name} must have at least ${options.minLength} characters, has ${value.length}`);
    }
    return value;
  }

  /** A secret that may be missing, from `NAME` or the file that `NAME_FILE` names. */
  optionalSecret(name: string): string | undefined {
    return this.#fromFile(`${name}_FILE`) ?? this.optionalText(name);
  }

  integer(name: string, options: { fallback: number; min: number; max: number }): number {
    const value = this.optionalText(name);
    if (value === undefined) return options.fallback;
    const number = Number(value);
    if (!Number.isSafeInteger(number) || number < options.min || number > options.max) {
      this.#problems.push(`${name} must be a whole number from ${options.min} to ${options.max}, is "${value}"`);
      return options.fallback;
    }
    return number;
  }

  port(name: string, fallback: number): number {
    return this.integer(name, { fallback, min: 0, max: 65_535 });
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.optionalText(name);
    if (value === undefined) return fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) this.#problems.push(`${name} must be one of ${choices.join(', ')}, is "${value}"`);
    return choice ?? fallback;
  }

  /** Text that `parse` converts; if it throws, the variable is malformed. */
  parsed<Value>(name: string, options: { fallback: string; parse: (text: string) => Value; expected: string }): Value {
    const text = this.text(name, options.fallback);
    try {
      return options.parse(text);
    } catch {
      this.#problems.push(`${name} must be ${options.expected}, is "${text}"`);
      return options.parse(options.fallback);
    }
  }

  /** Required text; the message of what `parse` throws continues "NAME …". */
  requiredParsed<Value>(
    name: string,
    options: { meaning: string; parse: (text: string) => Value; otherwise: Value },
  ): Value {
    const text = this.requiredText(name, options.meaning);
    if (text === '') return options.otherwise;
    try {
      return options.parse(text);
    } catch (error) {
      this.#problems.push(`${name} ${error instanceof Error ? error.message : 'is malformed'}`);
      return options.otherwise;
    }
  }

  url(name: string, options: { schemes: readonly string[]; meaning: string; fallback?: string }): string {
    const value = this.optionalText(name) ?? options.fallback ?? this.requiredText(name, options.meaning);
    if (value !== '') this.#checkUrl(name, value, options.schemes);
    return value;
  }

  /** A URL that can be switched off; undefined if the variable is empty or `off`. */
  switchableUrl(name: string, options: { schemes: readonly string[]; fallback: string }): string | undefined {
    const value = this.#variables[name]?.trim() ?? options.fallback;
    if (value === '' || value === 'off') return undefined;
    this.#checkUrl(name, value, options.schemes);
    return value;
  }

  #checkUrl(name: string, value: string, schemes: readonly string[]): void {
    const scheme = URL.canParse(value) ? new URL(value).protocol : undefined;
    if (scheme === undefined || !schemes.includes(scheme)) {
      this.#problems.push(`${name} must be a URL that begins with ${schemes.map((s) => `${s}//`).join(' or ')}`);
    }
  }

  #fromFile(name: string): string | undefined {
    const path = this.optionalText(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (error) {
      this.#problems.push(`${name} names a file that cannot be read: ${String(error)}`);
      return '';
    }
  }
}
