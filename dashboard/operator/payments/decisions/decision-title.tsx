/** What an operator is asked to decide. The focus moves there, where the button was that has asked. */
import { Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

export function DecisionTitle({ children }: { children: ReactNode }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <Title order={3} size="h5" mb="xs" ref={title} tabIndex={-1} className="decision-title">
      {children}
    </Title>
  );
}
