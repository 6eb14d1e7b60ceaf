/** `npm start`: installs what is missing, then runs the whole product with embedded servers. */
import { ensureInstalled } from './install.mjs';
import { runBun } from './run.mjs';

ensureInstalled('product');
runBun(['local/main.ts']);
