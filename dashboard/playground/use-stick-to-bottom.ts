/** Keeps the end of the conversation in sight while it grows, unless the reader has scrolled up. */
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { Turn } from './conversation/turns.ts';

const nearPx = 120;

export function useStickToBottom(turns: readonly Turn[]): void {
  const isAtBottom = useRef(true);
  const count = useRef(turns.length);
  useEffect(() => {
    const page = document.documentElement;
    const look = () => {
      isAtBottom.current = page.scrollHeight - page.clientHeight - page.scrollTop < nearPx;
    };
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    // Who sends a message wants to see it.
    if (turns.length > count.current) isAtBottom.current = true;
    count.current = turns.length;
    if (isAtBottom.current && turns.length > 0) scrollTo({ top: document.documentElement.scrollHeight });
  }, [turns]);
}
