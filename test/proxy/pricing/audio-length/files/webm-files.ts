/** WebM files from a seed, with sizes as in a finished file or without them, as browsers record them. */
import type { SeededRandom } from '../../../../harness/seeded-random.ts';
import { type AudioFile, ByteWriter } from './byte-writer.ts';
import { opusPackets, type Packet, secondsOf, vorbisStream } from './packets.ts';

export function webmFile(random: SeededRandom): AudioFile {
  const isOpus = random.chance(0.5);
  const vorbis = vorbisStream(random);
  const packets = isOpus ? opusPackets(random) : vorbis.packets;
  const setup = new ByteWriter();
  if (isOpus) setup.text('OpusHead').big(0, 11);
  else {
    const { identification, comment } = vorbis;
    setup.raw([2, identification.length, comment.length]).raw([...identification, ...comment, ...vorbis.setup]);
  }
  const isLive = random.chance(0.5);
  const writer = element(0x1a45dfa3, element(0x4282, new ByteWriter().text('webm')));
  const info = element(0x1549a966, element(0x4489, new ByteWriter().raw([0x41, 0x20, 0, 0]).claim(4)));
  const sound = element(0xe1, element(0xb5, new ByteWriter().raw([0x47, 0x3b, 0x80, 0])));
  const names = element(0x86, new ByteWriter().text(isOpus ? 'A_OPUS' : 'A_VORBIS')).append(element(0x63a2, setup));
  const numbers = element(0xd7, new ByteWriter().big(1, 1)).append(element(0x83, new ByteWriter().big(2, 1)));
  const tracks = element(0x1654ae6b, element(0xae, numbers.append(names).append(sound)));
  const content = info.append(tracks);
  for (let first = 0; first < packets.length; ) {
    const count = random.integer(1, 20);
    content.append(clusterOf(random, packets.slice(first, first + count), isLive));
    first += count;
  }
  writer.append(isLive ? unsized(0x18538067, content) : element(0x18538067, content));
  const packetSeconds = Math.max(...packets.map(({ seconds }) => seconds));
  return { format: 'webm', bytes: writer.toBytes(), seconds: secondsOf(packets), packetSeconds, claims: writer.claims };
}

function clusterOf(random: SeededRandom, packets: readonly Packet[], isLive: boolean): ByteWriter {
  const cluster = element(0xe7, new ByteWriter().big(77, 2).claim(2));
  for (let first = 0; first < packets.length; ) {
    const count = random.integer(1, 4);
    const block = blockOf(random, packets.slice(first, first + count));
    first += count;
    const duration = element(0x9b, new ByteWriter().big(20, 1).claim(1));
    cluster.append(random.chance(0.5) ? element(0xa3, block) : element(0xa0, element(0xa1, block).append(duration)));
  }
  return isLive ? unsized(0x1f43b675, cluster) : element(0x1f43b675, cluster);
}

function blockOf(random: SeededRandom, packets: readonly Packet[]): ByteWriter {
  const block = new ByteWriter().big(0x81, 1).big(20, 2).claim(2);
  const sizes = packets.map(({ bytes }) => bytes.length);
  if (packets.length === 1) block.big(0x80, 1);
  else if (random.chance(0.5)) {
    block.big(0x82, 1).big(packets.length - 1, 1);
    for (const size of sizes.slice(0, -1))
      block.raw([...Array.from({ length: Math.floor(size / 255) }, () => 255), size % 255]);
  } else {
    block.big(0x86, 1).big(packets.length - 1, 1);
    for (const [index, size] of sizes.slice(0, -1).entries()) {
      const difference = size - (sizes[index - 1] ?? 0);
      block.big(index === 0 ? 0x4000 + size : 0x4000 + difference + 0x1fff, 2);
    }
  }
  for (const { bytes } of packets) block.raw(bytes);
  return block;
}

function idBytes(id: number): number {
  return Math.ceil((32 - Math.clz32(id)) / 8);
}

function element(id: number, content: ByteWriter): ByteWriter {
  return new ByteWriter()
    .big(id, idBytes(id))
    .big(0x1000_0000 + content.length, 4)
    .append(content);
}

function unsized(id: number, content: ByteWriter): ByteWriter {
  return new ByteWriter().big(id, idBytes(id)).big(0x01ff_ffff, 4).big(0xffff_ffff, 4).append(content);
}
