/**
 * Reads settings from the environment and collects all mistakes, so that a program reports everything that is wrong
 * with its configuration together instead of one per start.
 *
 * A secret may be given as `NAME` or as `NAME_FILE`, the path of a file that holds it (Docker and Kubernetes secrets).
 * Either may hold several, one a line: the first is in use, the others are accepted too.
 */
import { SecretFiles, secretsIn } from './secret-files.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Thrown if at least one variable is missing or malformed; `problems` has one sentence per variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** The first is in use. A file's secrets are those that were read last: use them, do not keep them. */
export type Secrets = () => readonly string[];

export class EnvironmentReader {
  /** The files that secrets were read from. */
  readonly files = new SecretFiles();
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

  /** Whether `NAME` or `NAME_FILE` has a value. */
  isGiven(name: string): boolean {
    return this.optionalText(name) !== undefined || this.optionalText(`${name}_FILE`) !== undefined;
  }

  text(name: string, fallback: string): string {
    return this.optionalText(name) ?? fallback;
  }

  requiredText(name: string, meaning: string): string {
    const value = this.optionalText(name);
    if (value === undefined) this.#problems.push(`${name} is missing: ${meaning}`);
    return value ?? '';
  }

  /** Secrets of at least `minLength` characters. */
  secrets(name: string, { minLength, meaning }: { minLength: number; meaning: string }): Secrets {
    const refuse = (secrets: readonly string[]) => {
      const short = secrets.find(({ length }) => length < minLength);
      return short && `${name} must have at least ${minLength} characters, but has ${short.length}`;
    };
    const found = this.optionalSecrets(name, refuse);
    if (found === undefined) this.#problems.push(`${name} (or ${name}_FILE) is missing: ${meaning}`);
    return found ?? (() => []);
  }

  /** The one in use now, for what a running program does not change. Undefined if neither variable is set. */
  optionalSecret(name: string): string | undefined {
    return this.optionalSecrets(name)?.()[0];
  }

  /** Undefined if neither variable is set. `refuse` says why secrets cannot be used, in a sentence without them. */
  optionalSecrets(
    name: string,
    refuse: (secrets: readonly string[]) => string | undefined = () => undefined,
  ): Secrets | undefined {
    const path = this.optionalText(`${name}_FILE`);
    if (path !== undefined) {
      const file = this.files.open(`${name}_FILE`, path, refuse);
      if (file.problem !== undefined) this.#problems.push(file.problem);
      return () => file.secrets;
    }
    const secrets = secretsIn(this.#variables[name] ?? '');
    if (secrets.length === 0) return undefined;
    const problem = refuse(secrets);
    if (problem !== undefined) this.#problems.push(problem);
    return () => secrets;
  }

  integer(name: string, options: { fallback: number; min: number; max: number }): number {
    const value = this.optionalText(name);
    if (value === undefined) return options.fallback;
    const number = Number(value);
    if (!Number.isSafeInteger(number) || number < options.min || number > options.max) {
      this.#problems.push(`${name} must be a whole number from ${options.min} to ${options.max}, not "${value}"`);
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
    if (choice === undefined) this.#problems.push(`${name} must be one of ${choices.join(', ')}, not "${value}"`);
    return choice ?? fallback;
  }

  /** Text that `parse` converts; if it throws, the variable is malformed. */
  parsed<Value>(name: string, options: { fallback: string; parse: (text: string) => Value; expected: string }): Value {
    const text = this.text(name, options.fallback);
    try {
      return options.parse(text);
    } catch {
      this.#problems.push(`${name} must be ${options.expected}, not "${text}"`);
      return options.parse(options.fallback);
    }
  }

  /** A required secret that `parse` converts; the message of what it throws continues "NAME …". */
  parsedSecret<Value>(
    name: string,
    options: { meaning: string; parse: (text: string) => Value; otherwise: Value },
  ): Value {
    const text = this.#requiredSecret(name, options.meaning);
    if (text === undefined) return options.otherwise;
    try {
      return options.parse(text);
    } catch (error) {
      this.#problems.push(`${name} ${error instanceof Error ? error.message : 'is malformed'}`);
      return options.otherwise;
    }
  }

  /** A required URL that may have a password in it. */
  secretUrl(name: string, options: { schemes: readonly string[]; meaning: string }): string {
    const value = this.#requiredSecret(name, options.meaning);
    if (value !== undefined) this.#checkUrl(name, value, options.schemes);
    return value ?? '';
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

  #requiredSecret(name: string, meaning: string): string | undefined {
    const value = this.optionalSecret(name);
    if (value === undefined) this.#problems.push(`${name} (or ${name}_FILE) is missing: ${meaning}`);
    return value;
  }

  #checkUrl(name: string, value: string, schemes: readonly string[]): void {
    const scheme = URL.canParse(value) ? new URL(value).protocol : undefined;
    if (scheme === undefined || !schemes.includes(scheme)) {
      this.#problems.push(`${name} must be a URL that begins with ${schemes.map((s) => `${s}//`).join(' or ')}`);
    }
  }
}
