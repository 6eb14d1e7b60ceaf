/** The address of a page, as `to` of a link. */
import type { LinkProps } from '@tanstack/react-router';

export type PagePath = NonNullable<LinkProps['to']>;
