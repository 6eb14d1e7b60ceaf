/** Files of every container. */
import type { SeededRandom } from '../../../harness/seeded-random.ts';
import type { AudioFile } from './files/byte-writer.ts';
import { mp4File } from './files/mp4-files.ts';
import { flacFile, mp3File, oggFile, wavFile } from './files/plain-files.ts';
import { webmFile } from './files/webm-files.ts';

export const makers: Readonly<Record<string, (random: SeededRandom) => AudioFile>> = {
  wav: wavFile,
  mp3: mp3File,
  flac: flacFile,
  ogg: oggFile,
  mp4: mp4File,
  webm: webmFile,
};
