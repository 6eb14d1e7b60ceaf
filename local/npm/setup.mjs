/** `npm run setup`: installs the packages where no other command does it, such as in an image; in place of `npm ci`. */
import { ensureInstalled } from './install.mjs';

ensureInstalled('product');
