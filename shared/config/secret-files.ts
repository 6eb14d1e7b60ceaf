/**
 * Secrets in files, as `NAME_FILE` says, one a line: the first is in use, the others are accepted too. Running programs
 * read the files again every few seconds, so that a secret is rotated without a restart (Kubernetes secrets, AWS session
 * tokens).
 *
 * Invariant: secrets that were read stay in use while their file is missing, empty or malformed.
 */
import { readFileSync } from 'node:fs';
import type { Log } from '../log.ts';

/** `problem` is for operators. */
export type ProviderKey =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly problem: string };

/** Why these secrets cannot be used, as a sentence that says nothing secret; undefined if they can. */
type Refuse = (secrets: readonly string[]) => string | undefined;

/** What has become of a file since it was last read. */
export interface SecretFileChange {
  /** Such as `KEY_PEPPER_FILE`. */
  readonly variable: string;
  /** Why the former secrets stay in use; undefined if the new ones are. */
  readonly problem: string | undefined;
  /** How many secrets are accepted now. */
  readonly secrets: number;
}

const readEveryMs = 2_000;

/** The secrets of a text, one a line. */
export function secretsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** All secrets files of a program. */
export class SecretFiles {
  readonly #files = new Map<string, SecretFile>();

  /** Reads the file, unless it has been opened before. */
  open(variable: string, path: string, refuse: Refuse = () => undefined): SecretFile {
    const known = this.#files.get(variable);
    if (known?.path === path) return known;
    const file = new SecretFile(variable, path, refuse);
    file.read();
    this.#files.set(variable, file);
    return file;
  }

  /** Reads all of them again. */
  refresh(): readonly SecretFileChange[] {
    return [...this.#files.values()].flatMap((file) => file.read() ?? []);
  }
}

export class SecretFile {
  readonly path: string;
  readonly #variable: string;
  readonly #refuse: Refuse;
  #secrets: readonly string[] = [];
  #problem: string | undefined;

  constructor(variable: string, path: string, refuse: Refuse) {
    this.path = path;
    this.#variable = variable;
    this.#refuse = refuse;
  }

  /** The first is in use; empty if none could ever be read. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** What is wrong with the file now. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The secret in use. */
  get key(): ProviderKey {
    const [key] = this.#secrets;
    return key === undefined ? { ok: false, problem: this.#problem ?? '' } : { ok: true, key };
  }

  /** Undefined if nothing has changed. */
  read(): SecretFileChange | undefined {
    const [former, formerProblem] = [this.#secrets, this.#problem];
    const found = this.#find();
    this.#problem = typeof found === 'string' ? found : undefined;
    if (typeof found !== 'string') this.#secrets = found;
    if (this.#problem === formerProblem && former.join('\n') === this.#secrets.join('\n')) return undefined;
    return { variable: this.#variable, problem: this.#problem, secrets: this.#secrets.length };
  }

  /** The secrets, or what is wrong with the file. */
  #find(): readonly string[] | string {
    try {
      const secrets = secretsIn(readFileSync(this.path, 'utf8'));
      return secrets.length === 0 ? `${this.#variable} names an empty file` : (this.#refuse(secrets) ?? secrets);
    } catch (error) {
      return `${this.#variable} names a file that cannot be read: ${String(error)}`;
    }
  }
}

/** Reads them again every few seconds for as long as the program runs, and logs what has changed. */
export function keepSecretsFresh(files: SecretFiles, log: Log): void {
  const refresh = () => {
    for (const { variable, problem, secrets } of files.refresh()) {
      if (problem === undefined) log.info({ variable, secrets }, 'a secrets file was reloaded');
      else log.error({ variable, problem }, 'a secrets file cannot be used; the previous secrets stay in use');
    }
  };
  setInterval(refresh, readEveryMs).unref();
}
