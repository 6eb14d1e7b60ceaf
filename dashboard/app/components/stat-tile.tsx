/** One number with its label. A tile that leads to the number's detail is a link as a whole. */
import { Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PagePath } from '../router/page-change.ts';
import { type FailingQuery, LateSkeleton, NotLoaded } from './loaded.tsx';

interface StatTileProps {
  readonly label: string;
  /** Undefined while it loads. */
  readonly value: ReactNode | undefined;
  /** Where the value comes from, if nothing else on the page tells that it has failed. */
  readonly query?: FailingQuery;
  /** Below the value, smaller. */
  readonly detail?: ReactNode;
  readonly to?: PagePath;
}

export function StatTile({ label, value, query, detail, to }: StatTileProps) {
  const hasFailed = value === undefined && query !== undefined && query.error !== null;
  const content = (
    <>
      <Text size="sm" c="dimmed" className="tile-label">
        {label}
      </Text>
      {hasFailed ? (
        <NotLoaded query={query} />
      ) : value === undefined ? (
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
  if (to === undefined || hasFailed) return <div className="tile">{content}</div>;
  return (
    <Link to={to} className="tile tile-link">
      {content}
    </Link>
  );
}
