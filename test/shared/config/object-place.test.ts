/** Where objects are stored, as FILES_S3_URL says: a secret may have any character. */
import { expect, test } from 'bun:test';
import { EnvironmentReader } from '../../../shared/config/environment.ts';
import { readObjectPlace } from '../../../shared/config/object-place.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';

function read(url: string) {
  const environment = new EnvironmentReader({ FILES_S3_URL: url });
  const place = readObjectPlace(environment, 'FILES');
  environment.assertValid();
  return place;
}

test('a percent-encoded secret is read as it is, whatever its characters', () => {
  const random = new SeededRandom(7);
  const characters = [...'abcXYZ019/+=%@:?#&'];
  for (let round = 0; round < 200; round += 1) {
    const secret = Array.from({ length: 40 }, () => random.pick(characters)).join('');
    const place = read(`https://KEY:${encodeURIComponent(secret)}@s3.example.com/bucket/a/b?region=r`);
    expect(place).toMatchObject({ kind: 's3', bucket: { secretAccessKey: secret, prefix: 'a/b/', region: 'r' } });
  }
});

test.each(['https://KEY:sec/ret@s3.example.com/bucket', 'https://KEY:100%@s3.example.com/bucket'])(
  'a secret that is not percent-encoded is refused, with a message that says how: %s',
  (url) => {
    expect(() => read(url)).toThrow('%2F');
  },
);
