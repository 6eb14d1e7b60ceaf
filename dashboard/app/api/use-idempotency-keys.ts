/** Keys for what is sent again after a lost response: the same content has the same key, so it is never done twice. */
import { useRef } from 'react';
import { newIdempotencyKey } from './api.ts';

interface IdempotencyKeys {
  keyOf(content: object): string;
  /** What is sent from now on is new, even if it is the same. */
  forget(): void;
}

export function useIdempotencyKeys(): IdempotencyKeys {
  const keys = useRef(new Map<string, string>());
  return {
    keyOf: (content) => {
      const text = JSON.stringify(content);
      const key = keys.current.get(text) ?? newIdempotencyKey();
      keys.current.set(text, key);
      return key;
    },
    forget: () => keys.current.clear(),
  };
}
