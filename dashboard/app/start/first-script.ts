/**
 * What most pages use, and the log-in, which everyone sees first. It is imported here to be part of the first script: the
 * bundler would make some twenty small files of it, which every page would have to receive.
 */
import '../../overview/balance-tile.tsx';
import '../../sign-in/login/login-page.tsx';
import '../components/copy-field.tsx';
import '../components/copy-icon.tsx';
import '../components/csv-button.tsx';
import '../components/data-table.tsx';
import '../components/dialogs/confirm-dialog.tsx';
import '../components/dialogs/dialog.tsx';
import '../components/empty-state.tsx';
import '../components/fields/search-field.tsx';
import '../components/loaded.tsx';
import '../components/notify.ts';
import '../components/page-header.tsx';
import '../components/pager.tsx';
import '../components/row-action.tsx';
import '../components/section.tsx';
import '../components/stat-tile.tsx';
import '../components/status.tsx';
import '../errors/form-error.tsx';
import '../money/aligned-usd.tsx';
import '../time/instant.tsx';
