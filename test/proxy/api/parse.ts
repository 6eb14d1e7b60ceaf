/** Parses bodies as the endpoints do. */
import { readChatCompletion } from '../../../proxy/api/chat-completions/chat-completions.ts';
import { readCompletion } from '../../../proxy/api/completions/completions.ts';
import { readEmbedding } from '../../../proxy/api/embeddings/embeddings.ts';
import { readMessages } from '../../../proxy/api/messages/messages.ts';
import { readResponses } from '../../../proxy/api/responses/responses.ts';
import { withUniqueNames } from '../../../proxy/request/body/unique-names.ts';
import { parseJsonObject } from '../../../shared/http/check-value.ts';
import { JsonScanner, tokenIdLimits } from '../../../shared/http/intake/json-scanner.ts';

const parsedBy =
  <Call>(read: (value: object, text: string) => Call) =>
  (text: string): Call => {
    const scanner = new JsonScanner(tokenIdLimits);
    scanner.push(text);
    const value = parseJsonObject(text);
    return read(value, withUniqueNames(text, { value, members: scanner.members }));
  };

export const parseChatCompletion = parsedBy(readChatCompletion);
export const parseCompletion = parsedBy(readCompletion);
export const parseEmbedding = parsedBy(readEmbedding);
export const parseMessages = parsedBy(readMessages);
export const parseResponses = parsedBy(readResponses);
