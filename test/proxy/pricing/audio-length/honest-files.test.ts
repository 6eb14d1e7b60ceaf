/** Files as encoders write them are measured nearly exactly, whatever their headers claim. */
import { expect, test } from 'bun:test';
import { measureAudio } from '../../../../proxy/pricing/audio-length/audio-length.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { makers } from './any-file.ts';
import { times } from './files/packets.ts';

const rounding = 1e-9;

test.each(Object.keys(makers))('a %s file has the length of its packets, within one of them (campaign)', (format) => {
  for (const seed of times(inCampaign(40, 150), (index) => index)) {
    const file = makers[format]?.(new SeededRandom(seed));
    const measured = measureAudio(file?.bytes ?? new Uint8Array());
    const { seconds = 0, packetSeconds = 0 } = file ?? {};
    expect({ seed, format: measured?.format }).toEqual({ seed, format: format as 'wav' });
    const excess = (measured?.secondsMax ?? 0) - seconds;
    expect({ seed, isCovered: excess >= -rounding }).toEqual({ seed, isCovered: true });
    const allowed = Math.max(packetSeconds, 0.02 * seconds) + rounding;
    expect({ seed, isClose: excess <= allowed, excess, allowed }).toMatchObject({ seed, isClose: true });
  }
});

test.each(Object.keys(makers))(
  'no field of a %s file that claims a length changes what is measured (campaign)',
  (format) => {
    for (const seed of times(inCampaign(20, 60), (index) => index)) {
      const random = new SeededRandom(seed);
      const file = makers[format]?.(random);
      if (file === undefined) throw new Error(`no maker of ${format}`);
      const measured = measureAudio(file.bytes);
      expect(file.claims.length).toBeGreaterThanOrEqual(format === 'mp3' ? 0 : 1);
      for (const { at, bytes } of file.claims) {
        const changed = file.bytes.slice();
        for (let index = 0; index < bytes; index += 1)
          changed[at + index] = random.integer(0, random.pick([0, 1, 255]));
        expect({ seed, at, measured: measureAudio(changed) }).toEqual({ seed, at, measured });
      }
    }
  },
);
