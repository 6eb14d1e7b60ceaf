/** The modes of Vorbis are found at the end of a setup header, whatever is in front of them. */
import { expect, test } from 'bun:test';
import { vorbisCodec } from '../../../../proxy/pricing/audio-length/codecs/vorbis.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { ByteWriter } from './files/byte-writer.ts';
import { times } from './files/packets.ts';
import { vorbisSetup } from './files/vorbis-setup.ts';

const rate = 8_000;
/** Powers of two, in samples. */
const [short, long] = [6, 11];

function identificationOf(channels: number): Uint8Array {
  const header = new ByteWriter().text('\x01vorbis').little(0, 4).little(channels, 1).little(rate, 4);
  return header
    .little(0, 12)
    .little(long * 16 + short, 1)
    .little(1, 1)
    .toBytes();
}

test('the block of each packet is as long as its mode says (campaign)', () => {
  for (const seed of times(inCampaign(300, 3_000), (index) => index)) {
    const random = new SeededRandom(seed);
    const channels = random.integer(1, 8);
    const modes = times(random.integer(2, 8), () => random.chance(0.5));
    const setup = new ByteWriter().text('\x05vorbis').raw(vorbisSetup({ channels, modes }, random));
    const codec = vorbisCodec({ identification: identificationOf(channels), setup: setup.toBytes() });
    const measured = modes.map((_, mode) => {
      const bytes = Uint8Array.of(mode << 1, random.integer(0, 255));
      return codec.secondsOf({ bytes, from: 0, to: bytes.length });
    });
    const expected = modes.map((isLong) => 2 ** (isLong ? long : short) / 2 / rate);
    expect({ seed, measured }).toEqual({ seed, measured: expected });
  }
});
