/** Where people sign, and the images of stamp and signature that a seller may print there. */
import type { Paper } from '../page/paper.ts';

/** Images of the seller's file; they are no part of a document's data. */
export interface Look {
  readonly stamp?: Uint8Array;
  readonly signature?: Uint8Array;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const nameSize = 9;
/** Names of other forms than "Иванов И. И." may be long. */
const nameShareMax = 0.5;
const linesMax = 2;
/** 38 mm across, as stamps are. */
const stampSize = 108;
const signatureHeight = 34;

/** "Руководитель ________ Иванов И. И.", with the line at `y`. The images lie under the texts. */
export function drawSigner(
  paper: Paper,
  { title, name, look }: { readonly title: string; readonly name: string; readonly look?: Look | undefined },
  { x, y, width }: Place,
): void {
  const titleWidth = title === '' ? 0 : paper.widthOf(title, { bold: true }) + 6;
  const nameWidth = Math.min(paper.widthOf(name) + 2, width * nameShareMax);
  const line = { from: x + titleWidth, to: x + width - nameWidth - 4 };
  const height = paper.heightOf('А', width);
  const named = { width: nameWidth + 4, size: nameSize, linesMax };
  const signing = { x: line.from, width: Math.min(line.to - line.from, 120) };
  if (look?.stamp) {
    const middle = signing.x + signing.width / 2;
    paper.image(look.stamp, { x: middle - stampSize / 2, y: y - 30, width: stampSize, height: stampSize });
  }
  if (look?.signature) {
    paper.image(look.signature, { ...signing, y: y - signatureHeight + 6, height: signatureHeight });
  }
  if (title !== '') paper.text(title, { x, y: y - height, width: titleWidth, bold: true });
  paper.line({ x: line.from, y }, { x: line.to, y });
  paper.text(name, { x: line.to + 4, y: y - paper.heightOf(name, named.width, named), ...named });
}

/** How much room the signer's stamp needs below the line. */
export function roomBelow(look: Look | undefined): number {
  return look?.stamp === undefined ? 0 : stampSize - 30;
}

/** A field of an official form: text on a line, with the form's word for it below. Returns its height below `y`. */
export function drawField(
  paper: Paper,
  { text = '', caption }: { readonly text?: string; readonly caption: string },
  { x, y, width }: Place,
): number {
  const size = 7.5;
  const textHeight = paper.heightOf('А', width, { size });
  const style = { size, linesMax };
  const above = paper.heightOf(text, width, style) - textHeight;
  paper.text(text, { x, y: y - above, width, align: 'center', ...style });
  paper.line({ x, y: y + textHeight + 1 }, { x: x + width, y: y + textHeight + 1 });
  const captionHeight = paper.text(caption, { x, y: y + textHeight + 2, width, size: 5.5, align: 'center' });
  return textHeight + 2 + captionHeight;
}
