/**
 * Markdown of a model, which is untrusted. HTML in it stays text, links open elsewhere and say nothing about where
 * they come from, and pictures are links: loading one would tell its server what is asked here.
 */
import { compiler, type MarkdownToJSX } from 'markdown-to-jsx/react';
import type { ReactNode } from 'react';
import { CodeBlock } from '../code/code-block.tsx';

type Props = { readonly children?: ReactNode };

const options: MarkdownToJSX.Options = {
  disableParsingRawHTML: true,
  disableFrontmatter: true,
  forceBlock: true,
  overrides: {
    a: ({ href, children }: Props & { href?: string }) => <Link href={href}>{children}</Link>,
    img: ({ src, alt }: { src?: string; alt?: string }) => <Link href={src}>{alt || src}</Link>,
    pre: ({ children }: Props) => children,
    code: Code,
    input: ({ checked }: { checked?: boolean }) => (checked ? '☑' : '☐'),
    // The page has its own headings and ids.
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, Heading])),
    div: ({ children }: Props) => <div>{children}</div>,
  },
};

export default function Markdown({ text }: { text: string }) {
  return <div className="markdown">{compiler(text, options)}</div>;
}

/** Only a block has a class, which is empty if the block names no language. */
function Code({ className, children }: Props & { className?: string }) {
  const code = String(children ?? '');
  if (className === undefined) return <code>{code}</code>;
  const language = /language-(\S+)/.exec(className)?.[1];
  return <CodeBlock code={code.replace(/\n$/, '')} language={language ?? ''} />;
}

/** An address that is not http, https or mailto is left out. */
function Link({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href || !/^(https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="link">
      {children}
    </a>
  );
}

function Heading({ children }: Props) {
  return <p className="markdown-heading">{children}</p>;
}
