/** The text of a model, as Markdown. What reads Markdown is loaded with the first response; until then the text is plain. */
import { lazy, memo, Suspense } from 'react';

const Markdown = lazy(() => import('./markdown.tsx'));

export const AnswerText = memo(function AnswerText({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <Suspense fallback={<div className="plain-text">{text}</div>}>
      <Markdown text={text} />
    </Suspense>
  );
});
