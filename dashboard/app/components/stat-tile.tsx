/** One number with its label. A tile that leads to the number's detail is a link as a whole. */
import { Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PagePath } from '../router/page-path.ts';
import { LateSkeleton } from './loaded.tsx';

interface StatTileProps {
  readonly label: string;
  /** Undefined while it loads. */
  readonly value: ReactNode | undefined;
  /** Below the value, smaller. */
  readonly detail?: ReactNode;
  readonly to?: PagePath;
}

export function StatTile({ label, value, detail, to }: StatTileProps) {
  const content = (
    <>
      <Text size="sm" c="dimmed" className="tile-label">
        {label}
      </Text>
      {value === undefined ? (
        <LateSkeleton>
          <Skeleton height={24} width="60%" my={6} />
          <Skeleton height={12} width="40%" my={4} />
        </LateSkeleton>
      ) : (
        <>
          <div className="tile-value">{value}</div>
          <Text size="sm" c="dimmed" component="div" className="tile-detail">
            {detail}
          </Text>
        </>
      )}
    </>
  );
  if (to === undefined) return <div className="tile">{content}</div>;
  return (
    <Link to={to} className="tile tile-link">
      {content}
    </Link>
  );
}
