/** A field that searches while one types. The text is in the address; “back” brings the former one back. */
import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { commonTexts } from '../../i18n/common-texts.ts';
import { useTexts } from '../../i18n/use-texts.ts';

const debounceMs = 200;

interface SearchFieldProps {
  readonly label: string;
  /** Above the field, beside others that have one. Otherwise it is for screen readers only. */
  readonly isLabelVisible?: boolean;
  readonly placeholder?: string;
  /** The text in the address. */
  readonly value: string;
  /** Called once the typing rests. */
  readonly onSearch: (text: string) => void;
}

export function SearchField({ label, isLabelVisible = false, placeholder, value, onSearch }: SearchFieldProps) {
  const common = useTexts(commonTexts);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = (next: string) => {
    sent.current = next.trim();
    onSearch(sent.current);
  };
  const sendLater = useDebouncedCallback(send, debounceMs);
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  const clear = () => {
    sendLater.cancel();
    setText('');
    send('');
  };
  return (
    <TextInput
      type="search"
      {...(isLabelVisible ? { label } : { 'aria-label': label })}
      placeholder={placeholder ?? label}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        sendLater(currentTarget.value);
      }}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={text === '' ? null : <CloseButton size="sm" aria-label={common('clearSearch')} onClick={clear} />}
      className="search-field"
    />
  );
}
