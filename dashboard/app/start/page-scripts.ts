/** What the build tells the browser about each page. */

export interface PageScripts {
  /** As the router writes it: `/operator/accounts/$id`. */
  readonly path: string;
  /** For people who are not signed in. */
  readonly isPublic: boolean;
  /** Names of files, without those that every page has. */
  readonly scripts: readonly string[];
}
