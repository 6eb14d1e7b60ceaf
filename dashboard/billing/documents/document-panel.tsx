/** One document: its pages, and the file. */
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SidePanel } from '../../app/components/dialogs/side-panel.tsx';
import { useTexts } from '../../app/i18n/use-texts.ts';
import { documentsTexts } from './documents-texts.ts';
import { DownloadButton } from './download-button.tsx';
import { PdfPreview } from './pdf-preview.tsx';
import { documentName, documentsQuery } from './queries.ts';

interface DocumentPanelProps {
  /** Undefined while it is closed. */
  readonly documentId: string | undefined;
  /** Of the list's page that it is on. */
  readonly offset: number;
  readonly onClose: () => void;
}

export function DocumentPanel({ documentId, offset, onClose }: DocumentPanelProps) {
  const t = useTexts(documentsTexts);
  // While the panel closes, it still shows the document.
  const [shownId, setShownId] = useState(documentId);
  if (documentId !== undefined && documentId !== shownId) setShownId(documentId);
  const { data } = useQuery({ ...documentsQuery(offset), enabled: documentId !== undefined });
  const listed = data?.documents.find(({ id }) => id === shownId);
  const title = listed === undefined ? t('document') : documentName(listed, t);
  return (
    <SidePanel opened={documentId !== undefined} onClose={onClose} title={title}>
      {shownId === undefined ? null : (
        <Stack align="flex-start">
          <DownloadButton documentId={shownId} />
          <div className="document-pages">
            <PdfPreview documentId={shownId} />
          </div>
        </Stack>
      )}
    </SidePanel>
  );
}
