/** Transcripts as subtitles: SubRip (`srt`), and WebVTT (https://www.w3.org/TR/webvtt1/). */

export interface Segment {
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function renderSubtitles(format: 'srt' | 'vtt', segments: readonly Segment[]): string {
  const separator = format === 'srt' ? ',' : '.';
  const cues = segments.map(({ start, end, text }, index) => {
    const times = `${timeOf(start, separator)} --> ${timeOf(end, separator)}`;
    const number = format === 'srt' ? `${index + 1}\n` : '';
    return `${number}${times}\n${withoutMarks(text)}\n`;
  });
  return format === 'srt' ? cues.join('\n') : ['WEBVTT\n', ...cues].join('\n');
}

/** `00:01:02.345`. Hours have as many digits as they need. */
function timeOf(seconds: number, separator: string): string {
  const total = Math.max(0, Math.round(seconds * 1_000));
  const [hours, minutes, rest] = [Math.floor(total / 3_600_000), Math.floor(total / 60_000) % 60, total % 60_000];
  const padded = (value: number, digits: number) => String(value).padStart(digits, '0');
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(Math.floor(rest / 1_000), 2)}${separator}${padded(rest % 1_000, 3)}`;
}

/** An empty line would end the cue, and an arrow would begin its times. */
function withoutMarks(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll('-->', '->');
}
