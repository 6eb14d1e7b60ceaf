/**
 * Runs beside the page while its script is on its way. The first formatter of a process reads the browser's whole list of
 * locales, which takes a slow phone a tenth of a second; the page's own formatters find it read.
 */
new Intl.NumberFormat('en');
new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format();
