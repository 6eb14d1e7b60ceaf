/** A part of a page that is drawn after the rest of it, so that people see sooner what they look at first. */
import { type ReactNode, useDeferredValue } from 'react';

/** For what is below the first screen, or beside what the page is for. */
export function DrawnLater({ children }: { children: ReactNode }) {
  const isItsTurn = useDeferredValue(true, false);
  return isItsTurn ? children : <div aria-busy />;
}
