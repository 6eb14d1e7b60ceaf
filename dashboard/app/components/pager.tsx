/**
 * Leads through a list page by page. The cursor is in the address, so “back” works and a page can be linked to. These are
 * links, not buttons, for the same reason.
 */
import { Button, Group } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { commonTexts } from '../i18n/common-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';

interface PagerProps {
  /** The cursor in the address; undefined on the first page. */
  readonly cursor: string | undefined;
  /** The API's `nextCursor`; null on the last page. */
  readonly nextCursor: string | null | undefined;
}

/** The page's route needs `cursor?: string` among its search parameters. */
export function Pager({ cursor, nextCursor }: PagerProps) {
  const common = useTexts(commonTexts);
  if (cursor === undefined && !nextCursor) return null;
  return (
    <Group justify="space-between" mt="md" className="pager">
      {cursor === undefined ? <span /> : <PageLink cursor={undefined} label={common('firstPage')} />}
      {nextCursor ? <PageLink cursor={nextCursor} label={common('nextPage')} isNext /> : null}
    </Group>
  );
}

function PageLink({ cursor, label, isNext }: { cursor: string | undefined; label: string; isNext?: boolean }) {
  return (
    <Button
      component={Link}
      variant="default"
      size="sm"
      to="."
      search={((search: object) => ({ ...search, cursor })) as unknown as true}
      rightSection={isNext ? <IconArrowRight size={16} aria-hidden /> : undefined}
    >
      {label}
    </Button>
  );
}
