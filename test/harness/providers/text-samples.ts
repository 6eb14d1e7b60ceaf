/** Samples of the kinds of text that people send, long enough for a meaningful token count. */
import { SeededRandom } from '../seeded-random.ts';

const random = new SeededRandom(1);
const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => random.integer(0, 255)));
const emoji = ['😀', '🎉', '🚀', '❤️', '👍', '🔥', '😂', '🙏', '👨‍👩‍👧‍👦', '🇩🇪', '✅', '⭐', '🤖', '🧪'];
const rows = Array.from(
  { length: 60 },
  (_, row) => `${row},${random.integer(0, 999)}.${random.integer(10, 99)},2026-05-1${row % 10}`,
);

export const samples: Readonly<Record<string, string>> = {
  English: [
    'Once upon a time there was a small fox who lived at the edge of a deep, dark wood. Every night he wo',
    'uld sit on a hill and look up at the moon, and he would ask it the same question: why are you so far',
    ' away? The moon never said a word. But one cold night in winter, when the snow lay thick on the grou',
    'nd, he heard a voice behind him. It was an old owl. She told him that the moon was not far away at a',
    'll, it was only very shy. So the fox went home and thought about this for a long time.',
  ].join(''),
  'English with marks': [
    'Sure! Here is a short explanation of how photosynthesis works, step by step.\n\n1. **Light absorptio',
    'n**: Chlorophyll in the leaves absorbs sunlight, mostly in the blue and red parts of the spectrum.\n',
    '2. **Water splitting**: The energy is used to split water molecules into oxygen, protons, and electr',
    'ons.\n3. **Carbon fixation**: In the Calvin cycle, the plant uses ATP and NADPH to turn carbon dioxi',
    'de into glucose.\n\nIn other words, plants take in light, water, and air, and they give us food and ',
    'oxygen in return. Let me know if you would like me to go deeper into any of these steps!\n',
  ].join(''),
  German: [
    'Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen ',
    'begabt und sollen einander im Geiste der Brüderlichkeit begegnen. Jeder hat Anspruch auf die in dies',
    'er Erklärung verkündeten Rechte und Freiheiten ohne irgendeinen Unterschied, etwa nach Rasse, Hautfa',
    'rbe, Geschlecht, Sprache, Religion, politischer oder sonstiger Überzeugung, nationaler oder sozialer',
    ' Herkunft, Vermögen, Geburt oder sonstigem Stand.',
  ].join(''),
  Russian: [
    'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совесть',
    'ю и должны поступать в отношении друг друга в духе братства. Каждый человек должен обладать всеми пр',
    'авами и всеми свободами, провозглашенными настоящей Декларацией, без какого бы то ни было различия, ',
    'как-то в отношении расы, цвета кожи, пола, языка, религии, политических или иных убеждений, национал',
    'ьного или социального происхождения, имущественного, сословного или иного положения. Кроме того, не ',
    'должно проводиться никакого различия на основе политического, правового или международного статуса с',
    'траны или территории, к которой человек принадлежит, независимо от того, является ли эта территория ',
    'независимой, подопечной, несамоуправляющейся или как-либо иначе ограниченной в своем суверенитете.',
  ].join(''),
  Chinese: [
    '好的，我来帮你解释一下量子力学的基本概念。首先，我们需要了解什么是波粒二象性。简单来说，光和物质在不同的实验条件下会表现出波动性或者粒子性。比如说，在双缝实验中，单个电子通过两条狭',
    '缝后会在屏幕上形成干涉条纹，这说明电子具有波动性。但是，如果我们试图观察电子到底通过了哪一条缝，干涉条纹就会消失。这就是所谓的测量问题。接下来，我们谈谈不确定性原理。海森堡指出，我',
    '们不能同时精确地知道一个粒子的位置和动量。这并不是因为我们的仪器不够好，而是自然界的基本规律。希望这个解释对你有所帮助!如果还有其他问题，欢迎继续提问。',
  ].join(''),
  'formal Chinese': [
    '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有资格享有本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教、政治或其他见解、国',
    '籍或社会出身、财产、出生或其他身分等任何区别。并且不得因一人所属的国家或领土的政治的、行政的或者国际的地位之不同而有所区别，无论该领土是独立领土、托管领土、非自治领土或者处于其他任',
    '何主权受限制的情况之下。人人有权享有生命、自由和人身安全。任何人不得使为奴隶或奴役;一切形式的奴隶制度和奴隶买卖，均应予以禁止。任何人不得加以酷刑，或施以残忍的、不人道的或侮辱性的',
    '待遇或刑罚。',
  ].join(''),
  Japanese: [
    'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。すべて人は',
    '、人種、皮膚の色、性、言語、宗教、政治上その他の意見、国民的若しくは社会的出身、財産、門地その他の地位又はこれに類するいかなる事由による差別をも受けることなく、この宣言に掲げるすべ',
    'ての権利と自由とを享有することができる。',
  ].join(''),
  Korean: [
    '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 인종, 피',
    '부색, 성, 언어, 종교, 정치적 또는 기타의 견해, 민족적 또는 사회적 출신, 재산, 출생 또는 기타의 신분과 같은 어떠한 종류의 차별이 없이, 이 선언에 규정된 모든 권리와 자',
    '유를 향유할 자격이 있다.',
  ].join(''),
  Arabic: [
    'يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا ',
    'بروح الإخاء. لكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان، دون أي تمييز، كالتميي',
    'ز بسبب العنصر أو اللون أو الجنس أو اللغة أو الدين أو الرأي السياسي أو أي رأي آخر، أو الأصل الوطني أو',
    ' الاجتماعي أو الثروة أو الميلاد أو أي وضع آخر',
  ].join(''),
  emoji: Array.from({ length: 300 }, (_, index) => emoji[(index * 5) % emoji.length]).join(''),
  code: 'export async function readAll(stream: ReadableStream<Uint8Array>, { maxBytes }: { maxBytes: number }) {\n  const chunks: Uint8Array[] = [];\n  let size = 0;\n  for await (const chunk of stream) {\n    size += chunk.byteLength;\n    if (size > maxBytes) throw new RangeError("more bytes than " + maxBytes);\n    chunks.push(chunk);\n  }\n  // One copy, whatever the number of chunks.\n  return Buffer.concat(chunks, size);\n}\n\nconst timer = setInterval(() => void queue.flush().catch(log.error), 1_000);\nif (process.argv.includes("--watch")) watch(root, (event, name) => rebuild(name ?? root, event));\n',
  JSON: JSON.stringify(
    Array.from({ length: 12 }, (_, index) => ({
      id: index,
      city: 'Berlin',
      days: [1, 2, 3],
      filters: { minTemperature: -3.5, units: 'metric', include: ['wind_speed', 'humidity', 'uv_index'] },
    })),
  ),
  numbers: rows.join('\n'),
  base64: bytes(1_500).toString('base64'),
  hex: bytes(1_000).toString('hex'),
  blanks: ' '.repeat(16 * 1024),
};
