/**
 * How long an uploaded audio file can be at most. The money that is held before the file is sent depends on it, and the
 * provider bills what its decoder makes of the file. So no field that only claims a length is read (a byte rate, a
 * number of samples, a duration, a position); the length is that of the packets that are there, which is what a decoder
 * plays.
 *
 * The content decides what a file is; its name is not known here. Time is linear in the size, and bytes of any kind are
 * measured or refused, without an exception.
 */
import { flacSeconds, isFlac } from './flac.ts';
import { hasForeignStream } from './foreign-streams.ts';
import { isMp3, mp3Seconds } from './mp3.ts';
import { isMp4, mp4Seconds } from './mp4/mp4.ts';
import { isOgg, oggSeconds } from './ogg.ts';
import { afterTags } from './tags.ts';
import { isWav, wavSeconds } from './wav.ts';
import { isWebm, webmSeconds } from './webm.ts';

export type AudioFormat = 'wav' | 'mp3' | 'mp4' | 'ogg' | 'webm' | 'flac';

interface Container {
  readonly format: AudioFormat;
  is(bytes: Uint8Array, at: number): boolean;
  seconds(bytes: Uint8Array, start: number): number | undefined;
}

/** The last has no name in front that others could not have by chance. */
const containers: readonly Container[] = [
  { format: 'wav', is: isWav, seconds: wavSeconds },
  { format: 'flac', is: isFlac, seconds: flacSeconds },
  { format: 'ogg', is: isOgg, seconds: oggSeconds },
  { format: 'webm', is: isWebm, seconds: webmSeconds },
  { format: 'mp4', is: isMp4, seconds: mp4Seconds },
  { format: 'mp3', is: isMp3, seconds: mp3Seconds },
];

export interface AudioLength {
  readonly format: AudioFormat;
  /** Not below what a decoder plays. */
  readonly secondsMax: number;
}

/** Undefined if it is none of the formats that can be transcribed, or has parts whose length has no bound. */
export function measureAudio(bytes: Uint8Array): AudioLength | undefined {
  const start = afterTags(bytes);
  const container = containers.find(({ is }) => is(bytes, start));
  if (container === undefined || hasForeignStream(bytes)) return undefined;
  const secondsMax = container.seconds(bytes, start);
  return secondsMax === undefined ? undefined : { format: container.format, secondsMax };
}
