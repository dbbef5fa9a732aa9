/**
 * Rendered content that the small renderer does not make: copied in form from what real servers send
 * (chat-api, "Rendered message content"), for the pictures and for whoever draws messages.
 */
export const markup = {
  table: [
    '<table>',
    '<thead>\n<tr>\n<th>Job</th>\n<th style="text-align: right;">Usual</th>\n<th style="text-align: right;">Last night</th>\n</tr>\n</thead>',
    '<tbody>',
    '<tr>\n<td>db-backup</td>\n<td style="text-align: right;">4 min</td>\n<td style="text-align: right;">31 min</td>\n</tr>',
    '<tr>\n<td>log-rotate</td>\n<td style="text-align: right;">20 s</td>\n<td style="text-align: right;">22 s</td>\n</tr>',
    '</tbody>\n</table>',
  ].join('\n'),
  code: [
    '<p>The lock was never released:</p>',
    '<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="k">def</span> <span class="nf">backup</span><span class="p">(</span><span class="n">path</span><span class="p">):</span>',
    '    <span class="k">with</span> <span class="n">lock</span><span class="p">(</span><span class="s2">&quot;db&quot;</span><span class="p">):</span>',
    '        <span class="k">return</span> <span class="n">dump</span><span class="p">(</span><span class="n">path</span><span class="p">)</span>',
    '</code></pre></div>',
  ].join('\n'),
  math: '<p>Half of the space is gone in <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msub><mi>t</mi><mrow><mn>1</mn><mi mathvariant="normal">/</mi><mn>2</mn></mrow></msub></mrow><annotation encoding="application/x-tex">t_{1/2} = \\frac{\\ln 2}{\\lambda}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="strut" style="height:0.61em;"></span><span class="mord mathnormal">t</span></span></span></span> days.</p>',
  image:
    '<p>The graph of last night: <a href="/user_uploads/2/a1/latency.png">latency.png</a></p>\n<div class="message_inline_image"><a href="/user_uploads/2/a1/latency.png" title="latency.png"><img data-original-content-type="image/png" data-original-dimensions="1280x640" src="/user_uploads/thumbnail/2/a1/latency.png/840x560.webp"></a></div>',
  imageOnly:
    '<p><a href="/user_uploads/2/b2/whiteboard.jpg"></a></p>\n<div class="message_inline_image"><a href="/user_uploads/2/b2/whiteboard.jpg"><img data-original-content-type="image/jpeg" data-original-dimensions="4032x3024" src="/user_uploads/thumbnail/2/b2/whiteboard.jpg/840x560.webp"></a></div>',
  video:
    '<p><a href="/user_uploads/2/c3/rack.mp4">rack.mp4</a></p>\n<div class="message_inline_image message_inline_video"><a href="/user_uploads/2/c3/rack.mp4"><video preload="metadata" src="/user_uploads/2/c3/rack.mp4"></video></a></div>',
  preview:
    '<p><a href="https://docs.example/backups">https://docs.example/backups</a></p>\n<div class="message_embed"><a class="message_embed_image" href="https://docs.example/backups" style="background-image: url(&quot;/external_content/1f/68.png&quot;)"></a><div class="data-container"><div class="message_embed_title"><a href="https://docs.example/backups" title="How backups work">How backups work</a></div><div class="message_embed_description">Where the dumps go, and who looks at them.</div></div></div>',
  time: '<p>Window: <time datetime="2025-11-21T21:00:00Z">2025-11-21T22:00:00+01:00</time> until <span class="timestamp-error">Invalid time format: late</span></p>',
  nested:
    '<ol>\n<li>Stop the old job<ul>\n<li>and its timer</li>\n</ul>\n</li>\n<li>Run <code>dump --fresh</code></li>\n<li>Tell <span class="user-mention silent" data-user-id="13">Boris Novak</span></li>\n</ol>\n<hr>\n<h3>After that</h3>\n<p><del>Coffee</del> <strong><em>sleep</em></strong></p>',
} as const
