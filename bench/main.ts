/** `npm run bench` */
import { parseArgs } from 'node:util';
import { renderMarkdown } from './report/render-markdown.ts';
import { pacedStreams } from './scenarios/paced-streams.ts';
import { wholeAnswers } from './scenarios/whole-answers.ts';
import { setStage } from './set-stage.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'json,stream' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
  },
});
const { stage, notices, stop } = await setStage({
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  quick: values.quick,
  essential: false,
});
try {
  const sections = [];
  if (values.only.includes('json')) sections.push(await wholeAnswers(stage));
  if (values.only.includes('stream')) sections.push(await pacedStreams(stage));
  console.log(renderMarkdown({ head: notices, sections }));
} finally {
  await stop();
}
process.exit(0);
