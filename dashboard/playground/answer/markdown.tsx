/**
 * Markdown of a model, which nobody has checked. HTML in it stays text, links open elsewhere and say nothing about where
 * they come from, and pictures are links: loading one would tell its server what is asked here.
 */
import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from '../code/code-block.tsx';

const components: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Link href={typeof src === 'string' ? src : undefined}>{alt || src}</Link>,
  pre: ({ children }) => children,
  code: ({ className, children }) => {
    const code = String(children ?? '');
    const language = /language-(\S+)/.exec(className ?? '')?.[1];
    // Only a block ends with a line break.
    const isBlock = language !== undefined || code.endsWith('\n');
    return isBlock ? <CodeBlock code={code.replace(/\n$/, '')} language={language ?? ''} /> : <code>{code}</code>;
  },
  // The page has its own headings.
  h1: ({ children }) => <Heading>{children}</Heading>,
  h2: ({ children }) => <Heading>{children}</Heading>,
  h3: ({ children }) => <Heading>{children}</Heading>,
  h4: ({ children }) => <Heading>{children}</Heading>,
  h5: ({ children }) => <Heading>{children}</Heading>,
  h6: ({ children }) => <Heading>{children}</Heading>,
};

export default function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

/** An address that is not http, https or mailto has been removed by react-markdown. */
function Link({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href || !/^(https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="link">
      {children}
    </a>
  );
}

function Heading({ children }: { children?: ReactNode }) {
  return <p className="markdown-heading">{children}</p>;
}
