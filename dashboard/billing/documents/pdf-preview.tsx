/** The first pages of a document, as they are printed. */
import { Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { LateSkeleton, Loaded } from '../../app/components/loaded.tsx';
import { ErrorState } from '../../app/errors/error-state.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { documentsTexts } from './documents-texts.ts';
import type { OpenedPdf } from './pdf-pages.ts';
import { pdfQuery } from './queries.ts';

const pagesMax = 5;

export function PdfPreview({ documentId }: { documentId: string }) {
  const query = useQuery(pdfQuery(documentId));
  const [attempt, setAttempt] = useState(0);
  return (
    <Loaded query={query} skeleton={<Skeleton className="pdf-page" />}>
      {(file) => <PdfPages key={`${documentId} ${attempt}`} file={file} onRetry={() => setAttempt(attempt + 1)} />}
    </Loaded>
  );
}

function PdfPages({ file, onRetry }: { file: Blob; onRetry: () => void }) {
  const t = useTexts(documentsTexts);
  const [pdf, setPdf] = useState<OpenedPdf>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const end = new AbortController();
    const open = async () => {
      const { openPdf } = await import('./pdf-pages.ts');
      const opened = await openPdf(file, pagesMax);
      if (end.signal.aborted) return opened.close();
      end.signal.addEventListener('abort', () => void opened.close());
      setPdf(opened);
    };
    open().catch(setError);
    return () => end.abort();
  }, [file]);
  if (error !== undefined) return <ErrorState error={error} onRetry={onRetry} />;
  if (pdf === undefined) {
    return (
      <LateSkeleton>
        <Skeleton className="pdf-page" />
      </LateSkeleton>
    );
  }
  return (
    <Stack gap="sm">
      {pdf.pages.map((page) => (
        <PdfPage key={page.pageNumber} page={page} pageCount={pdf.pageCount} />
      ))}
      {pdf.pageCount > pdf.pages.length ? (
        <Text size="xs" c="dimmed">
          {t('morePages')}
        </Text>
      ) : null}
    </Stack>
  );
}

function PdfPage({ page, pageCount }: { page: OpenedPdf['pages'][number]; pageCount: number }) {
  const t = useTexts(documentsTexts);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = page.getViewport({ scale: 1 });
  const [text, setText] = useState('');
  useEffect(() => {
    const end = new AbortController();
    const draw = async () => {
      const { drawPage, textOfPage } = await import('./pdf-pages.ts');
      if (canvas.current === null || end.signal.aborted) return;
      await drawPage(page, canvas.current, end.signal);
      setText(await textOfPage(page));
    };
    // Drawing is cancelled when the page is left.
    draw().catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
    });
    return () => end.abort();
  }, [page]);
  return (
    <div>
      <canvas
        ref={canvas}
        className="pdf-page"
        style={{ aspectRatio: `${width} / ${height}` }}
        role="img"
        aria-label={t('page', { page: page.pageNumber, pages: pageCount })}
      />
      <VisuallyHidden>{text}</VisuallyHidden>
    </div>
  );
}
