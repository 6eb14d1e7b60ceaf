/** The formats in which speech is generated, with their media types. */
export const audioTypes = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;

export type AudioFormat = keyof typeof audioTypes;
export const audioFormats = Object.keys(audioTypes) as readonly AudioFormat[];
