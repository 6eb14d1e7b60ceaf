/** Secrets that are stored encrypted: opened by any pepper that is configured, for the row that they were sealed for. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { openSecret, sealSecret } from '../../../admin/auth/sealed-secret.ts';

const [older, newer] = ['an-older-pepper-of-forty-characters-0001', 'a-newer-pepper-of-forty-characters-00002'];

test('whatever is sealed is opened again, also after the pepper was replaced', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (purpose, text) => {
      const sealed = sealSecret({ keyPeppers: [older] }, purpose, text);
      expect(openSecret({ keyPeppers: [older] }, purpose, sealed)).toEqual({ text, isFormer: false });
      expect(openSecret({ keyPeppers: [newer, older] }, purpose, sealed)).toEqual({ text, isFormer: true });
      expect(() => openSecret({ keyPeppers: [newer] }, purpose, sealed)).toThrow('KEY_PEPPER that was removed');
      expect(() => openSecret({ keyPeppers: [older] }, `${purpose}!`, sealed)).toThrow();
    }),
  );
});

test('nothing is opened after any of its bytes was changed', () => {
  const seal = { keyPeppers: [older] };
  const sealed = sealSecret(seal, 'row 5', 'JBSWY3DPEHPK3PXP');
  const [mark, body = ''] = sealed.split('.');
  const bytes = Buffer.from(body, 'base64url');
  for (let place = 0; place < bytes.length; place += 1) {
    const changed = Buffer.from(bytes);
    changed[place] = (changed[place] ?? 0) ^ 1;
    expect(() => openSecret(seal, 'row 5', `${mark}.${changed.toString('base64url')}`)).toThrow();
  }
});

test('the same secret is sealed differently each time, and is not in it', () => {
  const all = Array.from({ length: 50 }, () => sealSecret({ keyPeppers: [older] }, 'row 5', 'JBSWY3DPEHPK3PXP'));
  expect(new Set(all).size).toBe(50);
  expect(all.join(' ')).not.toContain('JBSWY3');
});
