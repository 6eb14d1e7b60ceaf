/** Images, audio and files of a request in Gemini’s format. */
import { describe, expect, test } from 'bun:test';
import { refusal, sent } from '../chat-call.ts';

describe('the media of a Gemini request', () => {
  const parts = (...content: object[]) =>
    (sent({ messages: [{ role: 'user', content }] }) as { contents: { parts: unknown[] }[] }).contents[0]?.parts;

  test('are sent inline, with their type', () => {
    expect(
      parts(
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'data:image/svg+xml;charset=utf-8,%3Csvg%2F%3E' } },
        { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,CCCC' } },
        { type: 'file', file: { filename: 'b.pdf', file_data: 'DDDD' } },
      ),
    ).toEqual([
      { text: 'Look:' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { inlineData: { mimeType: 'image/svg+xml', data: btoa('<svg/>') } },
      { inlineData: { mimeType: 'audio/wav', data: 'BBBB' } },
      { inlineData: { mimeType: 'application/pdf', data: 'CCCC' } },
      { inlineData: { mimeType: 'application/pdf', data: 'DDDD' } },
    ]);
  });

  test('are sent by public URL unchanged, with the type that the path or the kind of part suggests', () => {
    expect(
      parts(
        { type: 'image_url', image_url: { url: 'https://example.com/a.PNG?size=1' } },
        { type: 'image_url', image_url: { url: 'https://example.com/b' } },
        { type: 'file', file: { file_data: 'https://example.com/c' } },
      ),
    ).toEqual([
      { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.PNG?size=1' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/b' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://example.com/c' } },
    ]);
  });

  test('are named by path in the error if they are unreadable', () => {
    const refused = (part: object) => refusal({ messages: [{ role: 'user', content: [part] }] });
    const at = 'messages[0].content[0]';
    expect(refused({ type: 'image_url', image_url: { url: 'http://example.com/a.png' } })).toEqual({
      code: 'invalid_parameter',
      param: `${at}.image_url.url`,
    });
    expect(refused({ type: 'image_url', image_url: { url: 'data:image/png' } }).param).toBe(`${at}.image_url.url`);
    expect(refused({ type: 'file', file: { filename: 'a.pdf' } }).param).toBe(`${at}.file.file_data`);
    expect(refused({ type: 'hologram' })).toEqual({ code: 'unsupported_parameter', param: `${at}.type` });
  });
});
