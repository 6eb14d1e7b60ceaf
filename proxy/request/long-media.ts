/**
 * Media that providers count by the page or the second, not by their bytes: an hour of a black film fits into 100 KB and
 * is a million tokens to Gemini (https://ai.google.dev/gemini-api/docs/tokens), and a page of a PDF, blank or not, is
 * hundreds. Sound in the body itself has more bytes than tokens.
 */
import type { ChatContentPart } from './chat-request.ts';

const addressOfLong =
  /^gs:|youtu\.?be|\/files\/|\.(?:mp4|m4v|mov|webm|mpe?g|avi|flv|wmv|3gpp?|pdf|wav|mp3|m4a|aac|ogg|opus|flac|aiff?)(?:[?#]|$)/i;
const pictureData = /^data:image\//i;
const textData = /^data:(?:text\/|application\/json|[;,])/i;

export function isLongMedia(part: ChatContentPart): boolean {
  switch (part.type) {
    case 'image_url':
      return isLongAddress(part.image_url?.url ?? '');
    case 'file': {
      const data = part.file?.file_data;
      return typeof data !== 'string' || !(pictureData.test(data) || textData.test(data));
    }
    case 'input_audio':
    case 'refusal':
      return false;
    default:
      return true;
  }
}

function isLongAddress(url: string): boolean {
  return /^data:/i.test(url) ? !pictureData.test(url) : addressOfLong.test(url);
}
