/** The pages for visitors who are not signed in. */
import { auditPages } from './audit-pages.ts';

const paths = ['/login', '/login?ended=1', '/register', '/forgot-password', '/reset-password?token=x'];

auditPages('for a visitor who is not signed in', paths, async () => undefined);
