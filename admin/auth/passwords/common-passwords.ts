/**
 * Recognises passwords that attackers try first: common words alone or in a row with digits around them, keyboard,
 * alphabet and number sequences, and one short part repeated.
 *
 * Bases instead of a list of whole passwords, because at 12 characters and more the common ones are built from a few
 * short ones: `Password123!`, `qwertyqwerty`, `iloveyou2024`.
 */

const bases = `
  abc abcd access account admin administrator alexander andrew angel anthony arsenal ashley asdf asdfgh asdfghjkl
  bailey baseball basketball batman bitcoin blahblah butterfly changeit changeme charlie cheese chelsea chocolate
  computer cookie daniel default dragon elephant everything facebook football freedom friends gateway ginger google
  guest hannah hello hunter iloveu iloveyou internet jennifer jessica jordan joshua killer letmein liverpool login
  love lovely loveyou maggie manchester marina master matrix matthew michael michelle minecraft monkey mustang
  mypassword nastya natasha newpassword nicole ninja nothing openai orange pass passw passphrase passwd password
  passwort parol pepper playstation pokemon princess privet purple qazwsx qazwsxedc qwe qwer qwert qwerty qwertyuiop
  robert root samantha samsung secret service shadow soccer spiderman starwars summer sunshine superman superstar
  support system temp test tester testing thomas tigger trustno unknown user username vladimir welcome whatever
  william windows winter yandex zaqwsx zxcvbn zxcvbnm
`
  .trim()
  .split(/\s+/);

const runs = [
  '01234567890123456789',
  '98765432109876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcba',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
  'qazwsxedcrfvtgbyhnujmikolp',
  'zaq12wsxcde34rfvbgt56yhn',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'a1b2c3d4e5f6g7h8i9j0',
  '!@#$%^&*()_+',
];

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const repeatedPartMaxLength = 6;
const basesInARow = new RegExp(`^(?:${bases.join('|')})+$`);

export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  return isRun(lower) || isRepetition(lower) || isMadeOfBases(lower);
}

function isRun(lower: string): boolean {
  return runs.some((run) => run.includes(lower));
}

function isRepetition(lower: string): boolean {
  const doubled = (lower + lower).indexOf(lower, 1);
  return doubled <= repeatedPartMaxLength && doubled < lower.length;
}

/** As typed and with lookalikes read as letters (`p4ssw0rd`), without the digits and signs at both ends. */
function isMadeOfBases(lower: string): boolean {
  const core = (text: string) => /[a-z](?:.*[a-z])?/s.exec(text)?.[0] ?? '';
  const readAsLetters = (text: string) => text.replace(/[013457@$!]/g, (sign) => lookalikes[sign] ?? sign);
  return [core(lower), core(readAsLetters(core(lower))), core(readAsLetters(lower))].some((text) =>
    basesInARow.test(text),
  );
}
