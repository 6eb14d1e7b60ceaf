/** A filter by the number of an account, which is in the address. It is applied with Enter, or when the field is left. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { idOf } from '../app/router/search.ts';

interface AccountFieldProps {
  readonly label: string;
  /** The number in the address. */
  readonly value: number | undefined;
  /** Called only if it is another one. */
  readonly onFind: (accountId: number | undefined) => void;
}

export function AccountField({ label, value, onFind }: AccountFieldProps) {
  const [text, setText] = useState(textOf(value));
  const [shown, setShown] = useState(value);
  // “Back” brings the former number back.
  if (value !== shown) {
    setShown(value);
    setText(textOf(value));
  }
  const find = () => {
    const wanted = idOf({ text }, 'text');
    setText(textOf(wanted));
    if (wanted !== value) onFind(wanted);
  };
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={find}
      onKeyDown={({ key }) => {
        if (key === 'Enter') find();
      }}
    />
  );
}

const textOf = (accountId: number | undefined): string => String(accountId ?? '');
