/** A QR code, drawn here: what it says is secret. The package loads when one is shown. */
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NotLoaded } from '../../app/components/loaded.tsx';

/** Light modules around it, without which cameras do not find it. */
const quietZone = 4;
const sizePx = 200;

export function QrCode({ text, label }: { text: string; label: string }) {
  const query = useQuery({
    queryKey: ['qr-code', text],
    queryFn: () => pathOf(text),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (query.error !== null) return <NotLoaded query={query} />;
  if (query.data === undefined) return <Skeleton width={sizePx} height={sizePx} />;
  const { path, modules } = query.data;
  const side = modules + 2 * quietZone;
  return (
    <svg
      viewBox={`${-quietZone} ${-quietZone} ${side} ${side}`}
      width={sizePx}
      height={sizePx}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className="qr-code"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}

/** Each dark module is a square; `modules` is how many are in a row. */
async function pathOf(text: string): Promise<{ path: string; modules: number }> {
  const { create } = await import('qrcode');
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const squares = Array.from(modules.data, (isDark, index) =>
    isDark ? `M${index % modules.size} ${Math.floor(index / modules.size)}h1v1h-1z` : '',
  );
  return { path: squares.join(''), modules: modules.size };
}
