/**
 * MP4, M4A and QuickTime: the samples that the tables of a track list, and those of its fragments. A sample is a packet,
 * of which the codec says how long it is; all durations (`mvhd`, `mdhd`, `stts`, `elst`) are claims and are not read.
 * But FFmpeg plays a track once for each of its edits.
 */

import { type ByteRange, hasText, uint32 } from '../read-bytes.ts';
import { type Mp4Box, visitBoxes } from './boxes.ts';
import { FragmentReader } from './fragments.ts';
import { isSoundHandler, readSampleEntries, type SampleEntries } from './sample-entries.ts';
import { type SampleTables, tableSeconds, Work } from './sample-tables.ts';

const topBoxes = ['ftyp', 'moov', 'mdat', 'moof', 'styp', 'free', 'skip', 'wide', 'pnot', 'uuid', 'sidx'];
const tables = ['stsd', 'stsz', 'stz2', 'stsc', 'stco', 'co64', 'stts', 'elst', 'hdlr'] as const;
const tracksMax = 1_000;

interface TrackDraft extends SampleTables {
  id: number;
  entries: SampleEntries | undefined;
  isSound: boolean;
  edits: number;
}

export function isMp4(bytes: Uint8Array, at: number): boolean {
  return topBoxes.some((name) => hasText(bytes, at + 4, name));
}

/** Undefined if there is no track with sound, or one that cannot be measured. */
export function mp4Seconds(bytes: Uint8Array, start: number): number | undefined {
  const drafts = readTracks({ bytes, from: start, to: bytes.byteLength });
  if (drafts === undefined) return undefined;
  const work = new Work(bytes.byteLength);
  const sounds = drafts.filter(({ entries, isSound }) => isSound || entries?.isAudio);
  const fragments = new FragmentReader(bytes, { tracks: sounds, work });
  visitBoxes({ bytes, from: start, to: bytes.byteLength }, (box) => fragments.read(box));
  const seconds = sounds.map((track) => {
    const inTables =
      track.entries === undefined ? undefined : tableSeconds(bytes, { track, entries: track.entries, work });
    return inTables === undefined ? undefined : (inTables + fragments.secondsOf(track.id)) * Math.max(1, track.edits);
  });
  const measured = seconds.filter((value) => value !== undefined);
  if (measured.length < seconds.length || work.isExceeded || measured.length === 0) return undefined;
  return Math.max(...measured);
}

function readTracks(range: ByteRange): TrackDraft[] | undefined {
  const drafts: TrackDraft[] = [];
  let isSound = true;
  const isWhole = visitBoxes(range, (box) => {
    // A header that is compressed can have any number of samples.
    if (box.name === 'cmov' || drafts.length > tracksMax) isSound = false;
    if (box.name === 'trak') drafts.push({ id: 0, entries: undefined, isSound: false, edits: 0, tables: {} });
    const draft = drafts.at(-1);
    if (draft !== undefined && !readInto(draft, box)) isSound = false;
  });
  return isWhole && isSound ? drafts : undefined;
}

/** False if the track has two tables of a kind, of which decoders may take either. */
function readInto(draft: TrackDraft, box: Mp4Box): boolean {
  const { bytes, name, from } = box;
  if (name === 'tkhd') draft.id = uint32(bytes, from + (bytes[from] === 1 ? 20 : 12));
  const table = tables.find((known) => known === name);
  if (table === undefined) return true;
  if (table === 'hdlr') {
    draft.isSound ||= isSoundHandler(bytes, from);
    return true;
  }
  if (draft.tables[table] !== undefined) return false;
  draft.tables[table] = box;
  if (table === 'elst') draft.edits = countEdits(box);
  if (table !== 'stsd') return true;
  draft.entries = readSampleEntries(box);
  return draft.entries !== undefined;
}

/** An edit without media only delays what follows. */
function countEdits({ bytes, from, to }: ByteRange): number {
  const isLong = bytes[from] === 1;
  const entryBytes = isLong ? 20 : 12;
  const end = Math.min(to, bytes.byteLength, from + 8 + uint32(bytes, from + 4) * entryBytes);
  let edits = 0;
  for (let at = from + 8; at + entryBytes <= end; at += entryBytes) {
    const time = at + (isLong ? 8 : 4);
    if (uint32(bytes, time) !== 0xffff_ffff) edits += 1;
  }
  return edits;
}
