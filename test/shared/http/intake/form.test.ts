/** Forms are read as they were written, wherever they are split, and anything else is refused. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { GatewayError } from '../../../../shared/errors.ts';
import { digestOfForm, type Form, FormReader } from '../../../../shared/http/intake/form.ts';

interface Written {
  readonly type: string;
  readonly bytes: Uint8Array;
}

type Field = readonly [name: string, value: string | Uint8Array];

async function write(fields: readonly Field[]): Promise<Written> {
  const form = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), 'a file.bin');
  }
  const response = new Response(form);
  return {
    type: response.headers.get('content-type') ?? '',
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}

async function read(
  { type, bytes }: Written,
  { cuts = [], announced = bytes.length, fileMaxBytes = 10_000 } = {} as Reading,
) {
  const reader = new FormReader(type, { files: 2, fileMaxBytes, announced });
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  for (const [index, end] of at.slice(1).entries()) reader.push(bytes.slice(at[index], end));
  return await reader.end();
}

interface Reading {
  readonly cuts?: readonly number[];
  readonly announced?: number;
  readonly fileMaxBytes?: number;
}

const fieldName = fc.stringMatching(/^[a-z_]{1,12}(\[\])?$/);
const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) => value.replaceAll(/\r\n?|\n/g, '\r\n'));
const file = fc.uint8Array({ maxLength: 3_000 });

const forms = fc.record({
  texts: fc.array(fc.tuple(fieldName, text), { maxLength: 6 }),
  files: fc.array(fc.tuple(fieldName, file), { minLength: 1, maxLength: 2 }),
});

test('a form is what was written, wherever it is split and whether its size is announced or not', async () => {
  const property = fc.asyncProperty(
    forms,
    fc.array(fc.nat(), { maxLength: 12 }),
    fc.boolean(),
    async (form, cuts, says) => {
      const written = await write([...form.texts, ...form.files]);
      const read_ = await read(written, { cuts, ...(says ? {} : { announced: 0 }) });
      expect(read_.fields).toEqual(form.texts);
      expect(read_.files.map(({ field, bytes }) => [field, [...bytes]])).toEqual(
        form.files.map(([name, bytes]) => [name, [...bytes]]),
      );
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

test('a form that is cut, or any other bytes, is refused or read, and never waited for', async () => {
  const property = fc.asyncProperty(forms, fc.nat(), fc.uint8Array({ maxLength: 20 }), async (form, at, noise) => {
    const { type, bytes } = await write([...form.texts, ...form.files]);
    const cut = bytes.slice(0, at % bytes.length);
    for (const damaged of [cut, Buffer.concat([cut, noise, bytes.slice(cut.length + noise.length)])]) {
      try {
        await read({ type, bytes: damaged });
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
      }
    }
  });
  await fc.assert(property, { numRuns: 200 });
});

describe('a form', () => {
  const codeOf = async (reading: Promise<Form>) => {
    try {
      await reading;
      return undefined;
    } catch (error) {
      return error instanceof GatewayError ? error.code : error;
    }
  };

  test('is limited in its files and fields', async () => {
    const large = new Uint8Array(10_001);
    expect(await codeOf(read(await write([['f', large]])))).toBe('body_too_large');
    expect(await codeOf(read(await write([['f', large]]), { fileMaxBytes: 10_001 }))).toBeUndefined();
    const files = ['a', 'b', 'c'].map((name) => [name, new Uint8Array(1)] as const);
    expect(await codeOf(read(await write(files)))).toBe('invalid_form');
    const many = Array.from({ length: 201 }, (_, index) => [`f${index}`, 'x'] as const);
    expect(await codeOf(read(await write(many)))).toBe('invalid_form');
    expect(await codeOf(read(await write([['f', 'x'.repeat(256 * 1024 + 1)]])))).toBe('body_too_large');
    expect(await codeOf(read(await write([['f'.repeat(300), 'x']])))).toBe('invalid_form');
  });

  test('is refused without its content type, or without a boundary', () => {
    for (const type of [
      null,
      '',
      'application/json',
      'multipart/mixed; boundary=b',
      'multipart/form-data',
      'multipart/form-data; charset=utf-8',
    ]) {
      expect(() => new FormReader(type, { files: 1, fileMaxBytes: 1, announced: 0 })).toThrow(GatewayError);
    }
  });

  test('has a digest that differs wherever a field or a file does', async () => {
    const of = async (...fields: Field[]) => digestOfForm(await read(await write(fields)));
    const one = await of(['a', 'x'], ['f', new Uint8Array([1])]);
    expect(await of(['a', 'x'], ['f', new Uint8Array([1])])).toBe(one);
    for (const other of [
      await of(['a', 'y'], ['f', new Uint8Array([1])]),
      await of(['b', 'x'], ['f', new Uint8Array([1])]),
      await of(['a', 'x'], ['f', new Uint8Array([2])]),
      await of(['a', 'x'], ['g', new Uint8Array([1])]),
    ]) {
      expect(other).not.toBe(one);
    }
  });
});
