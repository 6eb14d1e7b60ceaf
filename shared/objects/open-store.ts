/** The store of a place that is configured. */
import type { ObjectPlace } from '../config/object-place.ts';
import { FolderStore } from './folder-store.ts';
import type { ObjectStore } from './object-store.ts';
import { S3Store } from './s3-store.ts';

export function openStore(place: ObjectPlace): ObjectStore {
  return place.kind === 'folder' ? new FolderStore(place.path) : new S3Store(place.bucket);
}
