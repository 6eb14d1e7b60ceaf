/** Gemini responses, generated part by part. */

export const counts = { promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 14 };
export const candidate = (parts: readonly object[], extra: object = {}) => ({
  content: { role: 'model', parts },
  ...extra,
});
export const response = (candidates: readonly object[], extra: object = {}) => ({
  candidates,
  usageMetadata: counts,
  modelVersion: 'gemini-2.5-flash-001',
  responseId: 'r1',
  ...extra,
});
export const text = (chunk: string, extra: object = {}) => response([candidate([{ text: chunk }], extra)]);
export const call = (name: string, args?: object, extra: object = {}) => ({ functionCall: { name, args, ...extra } });
