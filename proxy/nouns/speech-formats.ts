/** The formats in which speech is generated, with their media types. */
export const speechTypes = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;

export type SpeechFormat = keyof typeof speechTypes;
export const speechFormats = Object.keys(speechTypes) as readonly SpeechFormat[];
