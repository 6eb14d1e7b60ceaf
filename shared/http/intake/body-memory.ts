/**
 * How much memory a request's body takes while its request is running, in bytes. JavaScript stores a character in one
 * byte if all of its text is Latin-1, and in two otherwise: a single Cyrillic letter doubles a long English text.
 */

/** The text, the strings of its value, and the text that is sent; and its bytes, unless it can be sent as it is. */
export function smallBodyMemory(text: string, bytes: number): number {
  return text.length === bytes ? 3 * bytes : 6 * text.length + bytes;
}

/** A large body is kept as it came and, from when it is sent, as it was sent. */
export function arrivingMemory(received: number): number {
  return 2 * received;
}

/** A file that is passed on to storage, whatever its size: two parts of an upload to S3, and what has just arrived. */
export const passingMemory = 12 * 1024 * 1024;

/** While it is read or rewritten: besides that its text, its value, and what is made of them for two interfaces. */
export function workMemory(bytes: number, isAscii: boolean): number {
  return arrivingMemory(bytes) + 4 * bytes * (isAscii ? 1 : 2);
}

/** While it waits to be sent: the same without its text. */
export function waitingMemory(bytes: number, isAscii: boolean): number {
  return arrivingMemory(bytes) + 3 * bytes * (isAscii ? 1 : 2);
}

/** At most that of a parsed value or a part of one. */
export function valueMemory(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let memory = 64;
  for (const [name, member] of Object.entries(value)) memory += 2 * name.length + valueMemory(member);
  return memory;
}
